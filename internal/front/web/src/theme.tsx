// Light or dark colours: those of the system, unless the person has chosen.

import { useState } from "preact/hooks";

const order = ["", "light", "dark"] as const;
type Theme = (typeof order)[number];

function chosen(): Theme {
  try { return (localStorage.getItem("theme") as Theme) ?? ""; } catch { return ""; }
}

/** theme applies the chosen colours. */
export function theme(t: Theme = chosen()) {
  if (t) document.documentElement.dataset.theme = t;
  else delete document.documentElement.dataset.theme;
}

export function ThemeButton() {
  const [t, set] = useState(chosen());
  const next = order[(order.indexOf(t) + 1) % order.length];
  const change = () => {
    try {
      if (next) localStorage.setItem("theme", next); else localStorage.removeItem("theme");
    } catch { /* without storage, the choice is only for this page */ }
    theme(next);
    set(next);
  };
  return <button class="link" aria-label={`colours: ${t || "as the system"}; change to ${next || "as the system"}`}
    title="light or dark" onClick={change}>{t === "dark" ? "☾" : t === "light" ? "☀" : "◐"}</button>;
}
