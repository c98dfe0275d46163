/** Routes keys of a picture: it keeps those it uses, and JupyterLab gets all others. A separate file, since a page needs it early. */

const MOVES = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];
/** Keys that fields use with Ctrl or Cmd: select all, copy, cut, paste, undo, redo, and moves by word. */
const ERASING = ['Backspace', 'Delete'];
const EDITING = new Set(['a', 'c', 'x', 'v', 'z', 'y', ...ERASING, ...MOVES]);
/** Keys that a text field uses with Shift: paste as text, redo, and selecting by word. */
const EDITING_SHIFT = new Set(['v', 'z', ...ERASING, ...MOVES]);
const BOXES = new Set(['checkbox', 'radio', 'range', 'color', 'button']);

/**
 * Stops propagation of keys that `host` uses, on which JupyterLab would act too. Handlers within `host`
 * prevent the default of the keys they use; the browser's use of keys in fields and buttons is defined here.
 */
export function keepKeys(host: HTMLElement): void {
  host.addEventListener('keydown', event => {
    // Enter held down presses a button once: it must not start recordings, cells and notebooks repeatedly.
    if (event.repeat && event.key === 'Enter' && event.target instanceof HTMLButtonElement)
      event.preventDefault();
    if (event.defaultPrevented || isUsed(event)) event.stopPropagation();
  });
}

function isUsed(event: KeyboardEvent): boolean {
  const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const isText = key.length === 1;
  const isPress = key === 'Enter' || key === ' ';
  const isPlain = !ctrlKey && !metaKey && !altKey;
  if (isField(target)) {
    if (event.getModifierState('AltGraph')) return isText;
    const edits = shiftKey ? EDITING_SHIFT : EDITING;
    if (!isPlain) return !altKey && edits.has(isText ? key.toLowerCase() : key);
    return isText || key === 'Enter' || MOVES.includes(key) || ERASING.includes(key);
  }
  if (target instanceof HTMLSelectElement)
    return isPlain ? isText || isPress || MOVES.includes(key) : altKey && /^Arrow(Up|Down)$/.test(key);
  if (!isPlain || !(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return isPress || MOVES.includes(key);
  if (target.closest('button, summary, a[href]') !== null) return isPress;
  return scrolls(target) && (key === ' ' || MOVES.includes(key));
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !BOXES.has(target.type))
  );
}

function scrolls(target: HTMLElement): boolean {
  const { overflowX, overflowY } = getComputedStyle(target);
  const isOpen = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
  return (
    (isOpen(overflowY) && target.scrollHeight > target.clientHeight) ||
    (isOpen(overflowX) && target.scrollWidth > target.clientWidth)
  );
}
