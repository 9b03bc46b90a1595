// Progressive enhancement. Every page works without scripts.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) {
    continue;
  }
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
    setTimeout(() => (button.textContent = label), 2000);
  });
}

// Prevents a form from being submitted twice.
for (const form of document.querySelectorAll('form[method="post"]')) {
  // The buttons are disabled after the submission, because a disabled button would not be submitted.
  form.addEventListener("submit", () => setTimeout(() => disableButtons(form, true)));
}
// Enables the buttons again when a page is restored from the back/forward cache.
addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => disableButtons(form, false)));

function disableButtons(form, disabled) {
  for (const button of form.querySelectorAll("button")) {
    button.disabled = disabled;
  }
}
