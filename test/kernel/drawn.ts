/** What pages show of the output that a kernel publishes. */

export interface StreamContent {
  readonly name: string;
  readonly text: string;
}

interface DisplayContent {
  readonly data: { readonly 'text/plain': string };
  readonly transient: { readonly display_id: string };
}

interface Shown {
  readonly kind: string;
  text: string;
}

/** Returns stream text as JupyterLab shows it: `\r` returns, characters overwrite, those of colours too; nothing moves up or erases. */
export function pageText(text: string): string {
  const lines = text
    .split('\n')
    .map(line => line.split('\r').reduce((shown, segment) => segment + shown.slice(segment.length), ''));
  // Padding and colours cannot be seen.
  return lines.map(line => line.replaceAll(/\x1b\[[\d;]*m/g, '').trimEnd()).join('\n');
}

/** The outputs of a cell. */
export class Page {
  readonly #outputs: Shown[] = [];
  readonly #displays = new Map<string, Shown>();
  /** Number of messages. */
  messages = 0;

  take(type: string, content: object): void {
    this.messages += 1;
    if (type === 'stream') this.#stream(content as StreamContent);
    else this.#display(type, content as DisplayContent);
  }

  /** The outputs as `kind: text`. */
  get outputs(): string[] {
    return this.#outputs.map(({ kind, text }) => `${kind}: ${pageText(text)}`);
  }

  #stream({ name, text }: StreamContent): void {
    const last = this.#outputs.at(-1);
    if (last?.kind === name) last.text += text;
    else this.#outputs.push({ kind: name, text });
  }

  #display(type: string, { data, transient }: DisplayContent): void {
    const text = data['text/plain'];
    const known = this.#displays.get(transient.display_id);
    if (known !== undefined) known.text = text;
    else if (type === 'update_display_data') throw new Error('update of an unknown display');
    else {
      const shown = { kind: 'drawing', text };
      this.#outputs.push(shown);
      this.#displays.set(transient.display_id, shown);
    }
  }
}
