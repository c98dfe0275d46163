/** What live pictures of this page show now, in the form in which a notebook saves it, by the id of their model. */

/** Data by MIME type. Undefined where the kernel has not said anything. */
type Read = () => Readonly<Record<string, unknown>> | undefined;
/** `isLast`: the picture was closed, and can be read this once. */
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
  /** Undefined for a model that is not in this page. */
  read: (id: string): ReturnType<Read> => reads.get(id)?.(),
  tellChange: (id: string): void => tell(id, false),
  /** Calls `listener` with the id of each model whose picture is another one; returns the call that ends it. */
  onChange(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }
};
