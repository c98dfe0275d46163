/** Renders the value of the last expression as a MIME bundle, as `display` would. */

import { render } from '../../../src/notebook/rendering.ts';
import type { JsonObject } from '../../protocol/messages.ts';

export interface DisplayedValue {
  /** Empty for a value that chose to show nothing. */
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  readonly problem?: string;
  /** The replacement for `data`, if the value took too long to render. */
  readonly late?: Promise<DisplayedValue>;
}

/** Returns the rendered value. Rejects only if an interrupt ended the value's display method. */
export async function displayedValue(value: unknown): Promise<DisplayedValue> {
  return render(value);
}
