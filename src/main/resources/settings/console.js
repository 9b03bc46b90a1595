// Comforts for those who have scripts; every page works without.
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

// A form is sent once, however often somebody clicks.
for (const form of document.querySelectorAll('form[method="post"]')) {
  // Later, because a button that is disabled at once would not be sent with its form.
  form.addEventListener("submit", () => setTimeout(() => disableButtons(form, true)));
}
// Whoever comes back finds the page as they left it.
addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => disableButtons(form, false)));

function disableButtons(form, disabled) {
  for (const button of form.querySelectorAll("button")) {
    button.disabled = disabled;
  }
}
