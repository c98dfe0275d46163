/** The value of the last expression as a MIME bundle: what `display` would show. */

import { render } from '../../../src/notebook/rendering.ts';
import type { JsonObject } from '../../protocol/messages.ts';

export interface DisplayedValue {
  /** Empty for a value that chose to show nothing. */
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  readonly problem?: string;
  /** What replaces `data` if it comes; the value took too long to show itself. */
  readonly late?: Promise<DisplayedValue>;
}

/** Rejects only where an interrupt ended the value's display method. */
export async function displayedValue(value: unknown): Promise<DisplayedValue> {
  return render(value);
}
