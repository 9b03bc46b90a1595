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
