// What people can do with the parts of a notebook.

import type { Cell, Run, Turn } from "./model";

/** Doing contains the actions of the reader of a session. An export is read-only. */
export interface Doing {
  id: string;
  readOnly: boolean;
  canAsk: boolean;
  edit: (cell: Cell) => void;
  again: (source: string) => void;
  askAbout: (cell: Cell) => void;
  forkAt: (turn: Turn) => void;
  prompt: (turn: Turn) => void;
  review: (approved: boolean, note: string) => Promise<boolean>; // resolves to whether it was sent
  source: (run: Run, mark: { document: string; offset: number; length: number }) => void;
}
