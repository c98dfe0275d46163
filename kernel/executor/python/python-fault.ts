/** Python exceptions in the form that the notebook shows: their own name, and Python's traceback. */

export interface PythonFault {
  readonly type: string;
  readonly message: string;
  /** The traceback, without the lines of type and message. */
  readonly lines: readonly string[];
}

/** Returns the parts of the library's `PythonError`, recognized by its code so that the library need not be loaded. */
export function pythonFault(error: Error): PythonFault | undefined {
  const { code, type, traceback } = error as Partial<Record<'code' | 'type' | 'traceback', unknown>>;
  if (code !== 'ERR_PYTHON' || typeof type !== 'string' || typeof traceback !== 'string') return undefined;
  const message = error.message === type ? '' : error.message.slice(type.length + 2);
  return { type, message, lines: withoutHeading(traceback.trimEnd().split('\n'), type, message) };
}

/** Removes the heading; notes that were added to the exception stay. */
function withoutHeading(lines: string[], type: string, message: string): string[] {
  const name = type.replace(/^__main__\./, '');
  const heading = lines.findLastIndex(line => line === name || line.startsWith(`${name}:`));
  if (heading < 0) return lines;
  return [...lines.slice(0, heading), ...lines.slice(heading + message.split('\n').length)];
}
