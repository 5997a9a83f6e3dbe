// Keys, search as one types, and relative times. The page works without this file.
const typing = (element) => element.closest("input, textarea, select");
const list = () => [...document.querySelectorAll("article.card[tabindex], [data-row]")];
const target = (item) => (item.matches("[data-row]") ? item.querySelector("a") : item);
const within = (item) => item.contains(document.activeElement);
const focused = () => list().find(within) ?? document.querySelector("[data-only]");

function move(step) {
  const items = list();
  const at = items.indexOf(focused());
  const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step;
  const item = items[Math.max(0, Math.min(items.length - 1, next))];
  if (!item) return;
  target(item).focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function act(key) {
  const item = focused();
  if (!item) return;
  const button = item.querySelector(`[data-key="${key}"]`);
  const reason = key === "r" && item.querySelector('input[name="why"]');
  if (reason) reason.focus();
  else if (button) button.click();
  if (key === "e") item.querySelector("details[open] textarea")?.focus();
  return reason || button;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && typing(event.target)) {
    const item = focused();
    item ? target(item).focus() : event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  let done = true;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "/") {
    const search = document.getElementById("search");
    search ? search.focus() : location.assign("/lessons#search");
  } else done = "are".includes(event.key) && act(event.key);
  if (done) event.preventDefault();
});

let wait;
document.addEventListener("input", ({ target: field }) => {
  if (field.type !== "search") return;
  clearTimeout(wait);
  wait = setTimeout(async () => {
    const asked = new URLSearchParams(new FormData(field.form));
    const address = `${field.form.action}?${asked}`;
    const answer = await (await fetch(address)).text();
    const found = new DOMParser().parseFromString(answer, "text/html").getElementById("found");
    if (!found || field.value !== asked.get("q")) return;
    document.getElementById("found").replaceWith(found);
    history.replaceState(null, "", address);
    tell(found);
  }, 150);
});

const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
function tell(place) {
  for (const time of place.querySelectorAll("time:not(.reason time)")) {
    const seconds = (new Date(time.dateTime) - Date.now()) / 1000;
    if (Math.abs(seconds) > 30 * 86400) continue;
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
    time.title = `${time.textContent} UTC`;
    time.textContent = unit === "second" ? "just now" : words.format(Math.round(seconds / size), unit);
  }
}
tell(document);
