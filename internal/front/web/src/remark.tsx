// Remarks in a run, shown where they happened: limits, nudges, retries and summaries.

import type { Doing } from "./actions";
import { firstLine } from "./format";
import { Stored } from "./long";
import type { Note } from "./model";
import { Fold, memo } from "./memo";

export const Remark = memo<{ v: number; note: Note; doing: Doing }>(({ note, doing }) => {
  const long = note.text.length > 200 || note.text.includes("\n");
  return (
    <div class={"note note-" + note.about.replace(/\W/g, "-")} id={"e" + note.seq}>
      {long ? <Fold summary={<><b>{note.about}</b> {firstLine(note.text, 160)}</>}>
        {() => <pre class="output" tabIndex={0} aria-label={note.about}>{note.text}</pre>}
      </Fold> : <><b>{note.about}</b> {note.text}</>}
      {note.detail !== undefined
        && <Fold summary="the summary">
          {() => <Stored id={doing.id} seq={note.seq} text={note.detail} pick={(d) => d.summary}
            label="summary" now />}
        </Fold>}
    </div>
  );
});
