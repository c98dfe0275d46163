/** What a cell says to its notebook, without the array library: imported as `stridelab/notebook`. */

export { alert, confirm, prompt } from './dialogs.ts';
export { display } from './display.ts';
export { DISPLAY_METHOD, type Displayable, type MimeBundle } from './host.ts';
export { input, password } from './input.ts';
export { page, setNextInput, type Payload } from './payload.ts';
export { StdinClosedError, StdinNotImplementedError } from './stdin-errors.ts';
