/** Current content of the page's live pictures, in the form in which a notebook saves it, by model id. */

/** Data by MIME type. Undefined before the kernel has sent any. */
type Read = () => Readonly<Record<string, unknown>> | undefined;
/** `isLast`: the picture was closed, and this is the last chance to read it. */
type Listener = (id: string, isLast: boolean) => void;

const reads = new Map<string, Read>();
const listeners = new Set<Listener>();

function tell(id: string, isLast: boolean): void {
  for (const listener of listeners) listener(id, isLast);
}

export const shownPictures = {
  add: (id: string, read: Read): void => void reads.set(id, read),
  remove(id: string): void {
    tell(id, true);
    reads.delete(id);
  },
  /** Undefined for a model that is not on this page. */
  read: (id: string): ReturnType<Read> => reads.get(id)?.(),
  tellChange: (id: string): void => tell(id, false),
  /** Calls `listener` with the id of each model whose picture changed; returns a function that unsubscribes. */
  onChange(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }
};
