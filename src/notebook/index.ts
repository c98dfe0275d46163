/** What a cell says to its notebook, without the array library: imported as `stridelab/notebook`. */

export { display } from './display.ts';
export { DISPLAY_METHOD, type Displayable, type MimeBundle } from './host.ts';
