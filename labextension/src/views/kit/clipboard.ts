import { __ } from './phrases.ts';

/**
 * Copies text to the clipboard. Notebook servers are often reached over plain http, where
 * `navigator.clipboard` does not exist, so the older copy command is the fallback.
 * @throws Error with a sentence to show when the browser allows neither.
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    // Refused or missing: the copy command below may still be allowed.
  }
  let copied = false;
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    copied = true;
  };
  document.addEventListener('copy', fill, { once: true, capture: true });
  try {
    document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', fill, { capture: true });
  }
  if (!copied) throw new Error(__('The browser did not allow writing to the clipboard.'));
}
