/** Output and input of cells, without the array library: imported as `stridelab/notebook`. */

export { capture, type Captured, type CapturedDisplay } from './capture.ts';
export {
  clearOutput,
  display,
  type DisplayHandle,
  type DisplayOptions,
  type PendingDisplay
} from './display.ts';
export {
  DISPLAY_METHOD,
  type Displayable,
  type DisplayResult,
  type MimeBundle,
  type MimeMetadata
} from './host.ts';
export { image, type ImageOptions } from './image.ts';
export * as jupyter from './jupyter.ts';
export { html, md, svg, type Markup } from './markup.ts';
export { progress, type ProgressBar, type ProgressOptions } from './progress.ts';
export { javascript, json, latex, type Rich } from './rich.ts';
export { table, type TableOptions } from './table.ts';
export { vega, vegaLite } from './vega.ts';
export { alert, confirm, prompt } from './dialogs.ts';
export { input, password } from './input.ts';
export { page, setNextInput, type Payload } from './payload.ts';
export { StdinClosedError, StdinNotImplementedError } from './stdin-errors.ts';
