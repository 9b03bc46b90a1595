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
for (const form of document.querySelectorAll('form[method="post"]:not([data-part])')) {
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

// Enter in these selections submits the form, as it does in other fields. Browsers would open the list.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("select[data-submit], .checkin-form select")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

// Ctrl+K (or Cmd+K) moves the focus to the search of the page. On other pages it opens the list of objectives, unless
// somebody has typed something that would be lost.
let changed = false;
document.addEventListener("input", () => (changed = true));
document.addEventListener("keydown", (event) => {
  if (event.key?.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) {
    return;
  }
  const search = document.getElementById("q");
  const list = document.querySelector("[data-search]")?.dataset.search;
  if (search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (list && !changed) {
    event.preventDefault();
    location.href = list;
  }
});

// Submits a selection at once if it was made with the pointer. With the keyboard, each arrow key changes the selection,
// so Enter or the button submits it.
for (const select of document.querySelectorAll("select[data-submit]")) {
  let typed = false;
  select.addEventListener("keydown", () => (typed = true));
  select.addEventListener("pointerdown", () => (typed = false));
  select.addEventListener("change", () => typed || select.form.requestSubmit());
}

// Sends the form of a list item without leaving the page. The response is the new item. The focus moves to the next form
// at once, so that people can type on while the form is sent.
document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-part]")) {
    event.preventDefault();
    const item = event.target.closest("li");
    if (!item.ariaBusy) {
      sendPart(item, event.target, new URLSearchParams(new FormData(event.target, event.submitter)));
    }
  }
});

async function sendPart(item, form, fields) {
  item.ariaBusy = "true";
  form.querySelector("[data-unsent]").hidden = true;
  focusNext(item);
  try {
    // A redirect leads to the sign-in.
    const headers = { "X-Okr-Part": "true" };
    const response = await fetch(form.action, { method: "POST", body: fields, headers, redirect: "manual" });
    if (!response.headers.has("X-Okr-Part")) {
      throw new Error(`status ${response.status}`);
    }
    replace(item, await response.text());
  } catch {
    item.ariaBusy = null;
    form.querySelector("[data-unsent]").hidden = false;
    say(form.querySelector("[data-unsent]").textContent);
  }
}

function replace(item, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = template.content.querySelector("li");
  const hadFocus = item.contains(document.activeElement);
  fresh.querySelectorAll("[autofocus]").forEach((field) => field.removeAttribute("autofocus"));
  item.replaceWith(fresh);
  const left = forms();
  if (!fresh.querySelector("form") && !document.querySelector("li[aria-busy]")) {
    refresh("own");
  }
  say([...fresh.querySelectorAll("[data-said]")].map((text) => text.textContent.trim()).join(" "));
  const status = document.getElementById("due-status");
  if (!left.length) {
    status.textContent = status.dataset.done;
  } else if (status.dataset.left) {
    status.textContent = `${left.length} ${status.dataset.left}`;
  }
  const form = fresh.querySelector("form");
  if (form && (hadFocus || document.activeElement === status || document.activeElement === document.body)) {
    firstField(form).focus();
  }
}

// Replaces a part of the page by its present state. Returns whether this succeeded.
async function refresh(id) {
  try {
    const response = await fetch(location.href, { redirect: "error" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById(id);
    if (!response.ok || !fresh) {
      return false;
    }
    document.getElementById(id).replaceWith(fresh);
    return true;
  } catch {
    // The old state stays. The next page shows the present one.
    return false;
  }
}

// The next form that is not being sent, or else the first one.
function focusNext(item) {
  const left = forms().filter((form) => !form.closest("li").ariaBusy);
  const next = left.find((form) => item.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING) ?? left[0];
  (next ? firstField(next) : document.getElementById("due-status")).focus();
}

function forms() {
  return [...document.querySelectorAll("form[data-part]")];
}

function firstField(form) {
  return form.querySelector('input:not([type="hidden"]), select');
}

function say(text) {
  document.getElementById("said").textContent = text;
}

// Sends a file of any size as it is. Without JavaScript, the form sends small files.
for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", async (event) => {
    const file = form.querySelector("input[type=file]").files[0];
    if (!file) {
      return;
    }
    event.preventDefault();
    const unsent = form.querySelector("[data-unsent]");
    unsent.hidden = true;
    try {
      const headers = {
        "Content-Type": "application/x-ndjson",
        "X-Okr-Form-Token": form.elements.form_token.value,
        ...(file.name.endsWith(".gz") && { "Content-Encoding": "gzip" }),
      };
      const response = await fetch(form.action, { method: "POST", body: file, headers });
      if (response.redirected) {
        location.href = response.url;
        return;
      }
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      unsent.textContent = page.querySelector("main p").textContent;
    } catch {
      unsent.textContent = "The file was not sent. The service did not answer, or your session has ended.";
    }
    unsent.hidden = false;
    disableButtons(form, false);
  });
}

// Shows the progress of work that is not finished. It stops after a failure, because each request without a session adds
// a cookie for the sign-in.
async function poll() {
  const part = document.querySelector("[data-poll]");
  if (part && (await refresh(part.id))) {
    setTimeout(poll, 1000);
  }
}
setTimeout(poll, 1000);
