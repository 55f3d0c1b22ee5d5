// The actions of the parts of the notebook.

import type { Cell, Run, Turn } from "./model";

/** Doing holds what the reader of a session can do. An export is read-only. */
export interface Doing {
  id: string;
  readOnly: boolean;
  canAsk: boolean;
  edit: (cell: Cell) => void;
  again: (source: string) => void;
  askAbout: (cell: Cell) => void;
  forkAt: (turn: Turn) => void;
  prompt: (turn: Turn) => void;
  review: (approved: boolean, note: string) => Promise<boolean>; // whether it was sent
  source: (run: Run, mark: { document: string; offset: number; length: number }) => void;
}
