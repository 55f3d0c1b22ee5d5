// The page: the sessions on the left, and the current one in the middle.

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type About } from "./api";
import { base } from "./base";
import { BatchDesk } from "./batch";
import { Batches } from "./batches";
import { Browsers } from "./browsers";
import { SessionView, type ViewKeys } from "./sessionview";
import { Help, useKeys } from "./keys";
import { address, addressOfBatch, go, useRoute } from "./route";
import { SetUp } from "./setup";
import { Sidebar } from "./sidebar";
import { watchConnection } from "./stream";
import { theme, ThemeButton } from "./theme";
import { tidy } from "./tidy";

function App() {
  const route = useRoute();
  const [about, setAbout] = useState<About>();
  const [problem, setProblem] = useState("");
  const [menu, setMenu] = useState(false);
  const [help, setHelp] = useState(false);
  const [browsers, setBrowsers] = useState(false);
  const [online, setOnline] = useState(true);
  const [missing, setMissing] = useState("");
  const viewKeys = useRef<ViewKeys>({});
  const say = (e: unknown) => setProblem(e instanceof Error ? e.message : String(e));
  const [out, setOut] = useState(false);
  useEffect(() => watchConnection((yes) => {
    setOnline(yes);
    if (yes) setOut(false);
    else api.about().catch((e) => { if (e.code === "token") setOut(true); }); // the server may refuse the old token
  }), []);
  useEffect(() => { if (online) api.about().then(setAbout, say); }, [online]);
  useEffect(() => {
    setMissing("");
    setProblem("");
    setHelp(false);
    setBrowsers(false);
    if (!route.id) { if (route.batch === undefined) document.title = "rlm"; return; }
    // The stream reports failures.
    api.session(route.id).then((s) => { if (s.id !== route.id) go(address(s.id, route.view), true); },
      (e) => { if (e.code === "not_found") setMissing(e.message); else if (e.code !== "failed") say(e); });
  }, [route.id, route.batch]);
  const made = (p: Promise<{ id: string }>) => p.then((s) => { go(address(s.id)); setMenu(false); }, say);
  const create = () => made(api.create());
  useEffect(() => { // "rlm serve --demo" opens this address
    if (location.pathname !== base + "/demo") return;
    history.replaceState(null, "", address(""));
    made(api.demo());
  }, []);
  useKeys((key) => {
    if (key === "?") return () => setHelp(true);
    if (key === "o") return () => setBrowsers(true);
    if (key === "n") return create;
    if (key === "l") return () => {
      setMenu(true);
      requestAnimationFrame(() => document.querySelector<HTMLElement>("nav li.here a, nav li a")?.focus());
    };
    if (key === "/") return () => { setMenu(true); document.getElementById("search")?.focus(); };
    if (key === "B" && about?.batches) return () => go(addressOfBatch());
    return route.id || route.batch ? viewKeys.current[key] : undefined;
  });
  return (
    <div class={"page" + (menu ? " menu" : "")}>
      <a class="skip" href="#main"
        onClick={(e) => { e.preventDefault(); document.getElementById("main")?.focus(); }}>Skip the list of sessions
        </a>
      <button class="hamburger" aria-label="sessions" aria-expanded={menu} onClick={() => setMenu(!menu)}>☰</button>
      <Sidebar id={route.id} batches={about?.batches} inBatches={route.batch !== undefined} user={about?.user}
        say={say} moved={() => setMenu(false)} create={create} />
      <main id="main" tabIndex={-1}>
        {out && <p class="problem told" role="alert">
          This browser is no longer logged in: it was logged out, or the server's token changed. Open the address
          that “rlm serve” printed; what you typed is kept.
        </p>}
        {problem && <p class="problem told" role="alert">
          <span>{problem}</span> <button class="link" onClick={() => setProblem("")}>close</button>
        </p>}
        {missing ? <p class="problem" role="alert">{missing}</p>
          : route.id ? <SessionView key={route.id} id={route.id} view={route.view} about={about} say={say}
            online={online} keys={(k) => { viewKeys.current = k; }} />
          : route.batch ? <BatchDesk key={route.batch} id={route.batch} jobs={route.jobs} say={say} online={online}
            keys={(k) => { viewKeys.current = k; }} />
          : route.batch === "" ? <Batches say={say} online={online} />
          : <Welcome about={about} create={create} demo={() => made(api.demo())} setAbout={setAbout} />}
      </main>
      <div class="corner"><ThemeButton /><button class="link" aria-label="keys" onClick={() => setHelp(true)}>?</button>
        {about?.user && <button class="link who" aria-label={`browsers of ${about.user}`}
          title="where you are logged in" onClick={() => setBrowsers(true)}>{about.user}</button>}</div>
      {help && <Help close={() => setHelp(false)} />}
      {browsers && <Browsers user={about?.user ?? "you"} close={() => setBrowsers(false)} />}
    </div>
  );
}

function Welcome({ about, create, demo, setAbout }: { about?: About; create: () => void; demo: () => void;
    setAbout: (about: About) => void }) {
  return (
    <div class="welcome">
      <h1>rlm</h1>
      <p>
        A session is a Go notebook over a text of any size. A model and you write cells in it, and both see the same
        variables.
      </p>
      {about?.offers && <SetUp offers={about.offers} done={setAbout} />}
      {about?.no_model && !about.offers
        && <p class="hint">Cells run without a model; questions need one. {about.no_model}</p>}
      <p class="buttons">
        <button class="main" onClick={create}>New session</button>
        {about?.demo && <button onClick={demo} title={about.demo.question}>Watch the demo</button>}
      </p>
      {about && <p class="dim">
        {about.user && !about.owner ? `${about.user} · ` : ""}rlm {about.version}
        {about.models?.length ? ` · ${about.models.join(", ")}` : ""}
      </p>}
    </div>
  );
}

theme();
tidy();
render(<App />, document.getElementById("app")!);
