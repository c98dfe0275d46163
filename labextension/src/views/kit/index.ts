/** The files of the kit that the build joins into one module, as webpack.config.js says. Sources import the files themselves. */

export * from './badge.ts';
export * from './canvas.ts';
export * from './change-marks.ts';
export * from './clipboard.ts';
export * from './commands.ts';
export * from './controls.ts';
export * from './cursor.ts';
export * from './dom.ts';
export * from './forms.ts';
export * from './framed.ts';
export * from './item-table.ts';
export * from './lazy-part.ts';
export * from './once-per-frame.ts';
export * from './part-bar.ts';
export * from './tabs.ts';
