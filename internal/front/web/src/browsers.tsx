// The browsers of a user, each of which can be logged out.

import { useEffect, useState } from "preact/hooks";
import { api, type Browser } from "./api";
import { base } from "./base";
import { Dialog, Sure } from "./dialog";
import { when } from "./format";

/**
 * Browsers lists the browsers of a user. After logging out the current one, it opens the page that explains how to
 * log in.
 */
export function Browsers({ user, close }: { user: string; close: () => void }) {
  const [list, setList] = useState<Browser[]>();
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState<"this" | "all">();
  const load = () => api.browsers().then((r) => setList(r.browsers), (e) => setProblem(e.message));
  useEffect(() => { load(); }, []);
  const logOut = (id: string) =>
    api.logOut(id).then(() => (asking ? location.assign(base + "/") : load()), (e) => setProblem(e.message));
  return (
    <Dialog title={`Browsers of ${user}`} close={close}>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {!list && !problem && <p class="dim" role="status">reading …</p>}
      <ul class="plain browsers">{list?.map((b) => (
        <li key={b.id}>
          <span title={b.agent}><b>{nameOf(b.agent)}</b>{b.this && <span class="tag">this browser</span>}<br />
            <span class="dim">{b.this ? "in use" : `last seen ${when(b.used)}`} · logged in {when(b.since)}</span>
          </span>
          <button
            aria-label={`log out ${nameOf(b.agent)}${b.this ? ", this browser" : `, last seen ${when(b.used)}`}`}
            onClick={() => (b.this ? setAsking("this") : logOut(b.id))}>Log out{b.this && " …"}</button>
        </li>))}</ul>
      {list && <div class="buttons">
        <button class="danger" onClick={() => setAsking("all")}>Log out all …</button>
      </div>}
      {asking && <Sure title={asking === "all" ? "Log all of these browsers out?" : "Log this browser out?"}
          yes="Log out" does={() => logOut(asking)} close={() => setAsking(undefined)}
        text={`To log in again, open the address with the token that “rlm serve” printed. What is running continues.`} />}
    </Dialog>
  );
}

const names: [RegExp, string][] = [[/Edg\w*\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"], [/Safari\//, "Safari"]];
const systems: [RegExp, string][] = [[/iPhone|iPad/, "iOS"], [/Android/, "Android"], [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"], [/CrOS/, "ChromeOS"], [/Linux/, "Linux"]];

// Describes a User-Agent in a few words.
function nameOf(agent = ""): string {
  const of = (all: [RegExp, string][]) => all.find(([sign]) => sign.test(agent))?.[1];
  const name = of(names), system = of(systems);
  return name ? name + (system ? ` on ${system}` : "") : agent.split(" ")[0] || "a browser without a name";
}
