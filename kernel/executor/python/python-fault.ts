/** Exceptions of Python as a notebook shows them: by their own name, with Python's own traceback. */

export interface PythonFault {
  readonly type: string;
  readonly message: string;
  /** The traceback, without the lines that type and message are. */
  readonly lines: readonly string[];
}

/** The library's `PythonError`, known by its code: errors of Python are no reason to load the library. */
export function pythonFault(error: Error): PythonFault | undefined {
  const { code, type, traceback } = error as Partial<Record<'code' | 'type' | 'traceback', unknown>>;
  if (code !== 'ERR_PYTHON' || typeof type !== 'string' || typeof traceback !== 'string') return undefined;
  const message = error.message === type ? '' : error.message.slice(type.length + 2);
  return { type, message, lines: withoutHeading(traceback.trimEnd().split('\n'), type, message) };
}

/** Notes that were added to the exception stay. */
function withoutHeading(lines: string[], type: string, message: string): string[] {
  const name = type.replace(/^__main__\./, '');
  const heading = lines.findLastIndex(line => line === name || line.startsWith(`${name}:`));
  if (heading < 0) return lines;
  return [...lines.slice(0, heading), ...lines.slice(heading + message.split('\n').length)];
}
