/** Colours and other styles of terminal text: which are in force after a sequence of them. */

/** The kinds of style that a code ends, by code. */
const ENDS: Readonly<Record<number, readonly string[]>> = {
  22: ['1', '2'],
  23: ['3'],
  24: ['4', '21'],
  25: ['5', '6'],
  27: ['7'],
  28: ['8'],
  29: ['9'],
  39: ['foreground'],
  49: ['background'],
  55: ['53'],
  59: ['58']
};

/** Number of parameters after 38, 48 or 58 and the kind of colour: an index, or red, green and blue. */
const CHANNELS: Readonly<Record<string, number>> = { 5: 1, 2: 3 };

export class TextStyle {
  /** Sequences in force by their kind; one replaces earlier ones of its kind. */
  readonly #styles = new Map<string, string>();
  /** The sequences in force. */
  text = '';

  /** Applies the parameters of a sequence `\x1b[…m`. */
  apply(parameters: string): void {
    const codes = parameters.split(';');
    for (let i = 0; i < codes.length; i += 1) {
      const code = Number(codes[i]!.split(':')[0]);
      const colour = code === 38 || code === 48 || code === 58;
      const last = colour ? i + 1 + (CHANNELS[codes[i + 1] ?? ''] ?? 0) : i;
      this.#set(code, codes.slice(i, last + 1).join(';'));
      i = last;
    }
    this.text = [...this.#styles.values()].join('');
  }

  #set(code: number, codes: string): void {
    const ended = ENDS[code];
    if (code === 0) this.#styles.clear();
    else if (ended !== undefined) for (const kind of ended) this.#styles.delete(kind);
    else this.#styles.set(kindOf(code), `\x1b[${codes}m`);
  }
}

function kindOf(code: number): string {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 'foreground';
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 'background';
  return String(code);
}
