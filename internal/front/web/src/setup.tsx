// Choice of the first model, if the server has none.

import { useState } from "preact/hooks";
import { api, type About, type Offer } from "./api";

/** SetUp asks for a provider, a model and a key. done is called when the server has restarted with the model. */
export function SetUp({ offers, done }: { offers: Offer[]; done: (about: About) => void }) {
  const [offer, setOffer] = useState(offers[0]);
  const [model, setModel] = useState(offer.model);
  const [key, setKey] = useState("");
  const [doing, setDoing] = useState("");
  const [problem, setProblem] = useState("");
  const choose = (provider: string) => {
    const next = offers.find((o) => o.provider === provider) ?? offer;
    setOffer(next);
    setModel(next.model);
  };
  const save = async (e: Event) => {
    e.preventDefault();
    setProblem("");
    setDoing("trying the model …");
    try {
      await api.setUp(offer.provider, model, key);
      setDoing("restarting the server …");
      for (;;) { // the server is restarting
        const about = await api.about().catch(() => undefined);
        if (about && !about.no_model) return done(about);
        await new Promise((r) => setTimeout(r, 200));
      }
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
      setDoing("");
    }
  };
  return (
    <form class="setup" onSubmit={save} aria-label="Choose a model">
      <p>Questions need a model. Choose one; it is tried before it is kept.</p>
      <label>provider <select value={offer.provider} onChange={(e) => choose(e.currentTarget.value)}>
        {offers.map((o) => <option key={o.provider} value={o.provider}>{o.title}</option>)}
      </select></label>
      <label>model <input value={model} onInput={(e) => setModel(e.currentTarget.value)} required
        spellcheck={false} /></label>
      <label>key <input type="password" value={key} onInput={(e) => setKey(e.currentTarget.value)} required
        autocomplete="off" /></label>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <p class="buttons"><button class="main" disabled={!!doing}>{doing || "Try and keep"}</button></p>
      <p class="dim">
        The key is saved on the server's machine, in a file that only its owner can read. For Ollama or another
        endpoint, run <code>rlm</code> in a terminal there.
      </p>
    </form>
  );
}
