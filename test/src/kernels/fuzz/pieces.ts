/** Text of random kernels in two forms: TypeScript for the kernel, and JavaScript that rounds and wraps by itself. */

/** A text in both forms. */
export interface Both {
  readonly kernel: string;
  readonly script: string;
}

/** A statement: texts, and lists of statements in between. */
export interface Piece {
  readonly parts: readonly (Both | readonly Piece[])[];
}

export const both = (kernel: string, script = kernel): Both => ({ kernel, script });
export const line = (kernel: string, script = kernel): Piece => ({ parts: [both(kernel, script)] });

/** Puts texts in both forms into a template. */
export function join(strings: TemplateStringsArray, ...values: readonly (Both | string | number)[]): Both {
  const form = (name: 'kernel' | 'script'): string =>
    String.raw({ raw: strings }, ...values.map(each => (typeof each === 'object' ? each[name] : each)));
  return both(form('kernel'), form('script'));
}

/** Writes statements in one of the forms. */
export function written(pieces: readonly Piece[], form: 'kernel' | 'script', depth = 1): string {
  const indent = '  '.repeat(depth);
  const lines = pieces.map(({ parts }) =>
    parts
      .map(part => ('kernel' in part ? `${indent}${part[form]}` : written(part, form, depth + 1)))
      .filter(text => text !== '')
      .join('\n')
  );
  return lines.join('\n');
}

/** Returns all lists of statements with one statement left out, or replaced by what it contains. */
export function smaller(pieces: readonly Piece[]): (readonly Piece[])[] {
  return pieces.flatMap((piece, index) => {
    const put = (...replacement: readonly Piece[]): readonly Piece[] =>
      pieces.toSpliced(index, 1, ...replacement);
    const inner = piece.parts.flatMap((part, at) =>
      'kernel' in part ? [] : smaller(part).map(less => put({ parts: piece.parts.with(at, less) }))
    );
    return [put(), ...inner];
  });
}
