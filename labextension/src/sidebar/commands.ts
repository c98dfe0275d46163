/** The panel's commands: for menus, the palette, context menus and shortcuts. */

import type { CommandRegistry } from '@lumino/commands';
import type { ArrayEntry } from '../../../src/description/arrays-schema.ts';
import type { Phrases } from '../views/phrases.ts';
import type { PanelActions } from './panel-actions.ts';
import { arraysIcon } from './icon.ts';

export const CommandIDs = {
  show: 'stridelab:show-arrays',
  inspect: 'stridelab:inspect-array',
  insert: 'stridelab:insert-inspect',
  copyName: 'stridelab:copy-array-name',
  free: 'stridelab:free-array',
  freeAll: 'stridelab:free-all-arrays',
  refresh: 'stridelab:refresh-arrays'
} as const;

export interface CommandContext {
  readonly actions: PanelActions;
  readonly phrases: Phrases;
  /** What the panel's active row stands for. */
  readonly chosen: () => readonly ArrayEntry[];
  /** Whether a list is shown. */
  readonly listing: () => boolean;
  readonly show: () => void;
}

export function addCommands(
  commands: CommandRegistry,
  { actions, phrases, chosen, listing, show }: CommandContext
): void {
  const live = (): readonly ArrayEntry[] => chosen().filter(({ state }) => state !== 'freed');
  const one = (): ArrayEntry | undefined => (live().length === 1 ? live()[0] : undefined);
  const onOne = (act: (entry: ArrayEntry) => void) => ({
    isEnabled: () => one() !== undefined,
    execute: () => {
      const entry = one();
      if (entry !== undefined) act(entry);
    }
  });
  // A schema of arguments tells agents and the palette that there are none.
  const describedBy = { args: { type: 'object', properties: {} } };
  const add = (id: string, options: Omit<CommandRegistry.ICommandOptions, 'describedBy'>): void => {
    commands.addCommand(id, { ...options, describedBy });
  };
  add(CommandIDs.show, {
    label: phrases.__('Arrays of the Notebook'),
    caption: phrases.__('Show the arrays of the active notebook, and what memory they hold'),
    icon: arraysIcon,
    execute: show
  });
  add(CommandIDs.inspect, {
    label: phrases.__('Inspect Array'),
    caption: phrases.__('Open the live inspector of the array in a tab'),
    ...onOne(entry => actions.inspect(entry))
  });
  add(CommandIDs.insert, {
    label: phrases.__('Insert a Cell That Inspects It'),
    caption: phrases.__('Insert a cell with inspect(…) below the active one'),
    ...onOne(entry => actions.insertInspect(entry))
  });
  add(CommandIDs.copyName, {
    label: phrases.__('Copy Name'),
    caption: phrases.__('Copy the code that leads to the array'),
    ...onOne(entry => void actions.copyName(entry))
  });
  add(CommandIDs.free, {
    label: () => (chosen().length > 1 ? phrases.__('Free Arrays…') : phrases.__('Free Array…')),
    caption: phrases.__('Give the memory back, after a question'),
    isEnabled: () => live().length > 0,
    execute: () => actions.free(chosen())
  });
  add(CommandIDs.freeAll, {
    label: phrases.__('Free All Arrays…'),
    caption: phrases.__(
      'Give back the memory of every array that the notebook’s variables reach, after a question'
    ),
    isEnabled: listing,
    execute: () => actions.freeAll()
  });
  add(CommandIDs.refresh, {
    label: phrases.__('Look at the Arrays Anew'),
    caption: phrases.__('Ask the kernel for its arrays and devices now'),
    isEnabled: listing,
    execute: () => actions.refresh()
  });
}
