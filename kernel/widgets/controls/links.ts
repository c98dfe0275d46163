/** Links between properties, in the kernel or in the page. */

import type { Change, Widget } from '../model/widget.ts';
import * as specs from './links.generated.ts';
import { widgetClass } from '../model/widget-class.ts';

/** A widget and the name of one of its properties. */
export type LinkEnd<Properties extends object, Name extends keyof Properties & string> = readonly [
  Widget<Properties>,
  Name
];

/** A link between properties in the kernel, which can be ended. */
export interface LinkHandle extends Disposable {
  /** Ends the link; the values stay. */
  unlink(): void;
}

function handle(unlink: () => void): LinkHandle {
  return { unlink, [Symbol.dispose]: unlink };
}

/** Sets `target` to the value of `source` now and whenever it changes, in the kernel. `transform` converts the value. */
export function dlink<
  Source extends object,
  From extends keyof Source & string,
  Target extends object,
  To extends keyof Target & string
>(
  source: LinkEnd<Source, From>,
  target: LinkEnd<Target, To>,
  ...[transform]: Source[From] extends Target[To]
    ? [transform?: (value: Source[From]) => Target[To]]
    : [transform: (value: Source[From]) => Target[To]]
): LinkHandle {
  const [from, fromName] = source;
  const [to, toName] = target;
  const pass = (value: Source[From]): void => {
    const made = transform === undefined ? (value as unknown as Target[To]) : transform(value);
    to.set({ [toName]: made } as never);
  };
  const follow = (change: Change<Source, From>): void => pass(change.new);
  pass(from.get(fromName));
  from.observe(fromName, follow);
  return handle(() => from.unobserve(fromName, follow));
}

/** Keeps two properties equal in the kernel: sets `second` to the value of `first` now, and each to the other when that changes. */
export function link<
  First extends object,
  FirstName extends keyof First & string,
  Second extends object,
  SecondName extends keyof Second & string
>(
  first: LinkEnd<First, FirstName>,
  second: First[FirstName] extends Second[SecondName] ? LinkEnd<Second, SecondName> : never
): LinkHandle {
  const [one, oneName] = first;
  const [two, twoName] = second as LinkEnd<Second, SecondName>;
  // If a side adjusts its value, the two would otherwise update each other endlessly.
  let passing = false;
  const follow = (run: () => void) => (): void => {
    if (passing) return;
    passing = true;
    try {
      run();
    } finally {
      passing = false;
    }
  };
  const forth = follow(() => two.set({ [twoName]: one.get(oneName) } as never));
  const back = follow(() => one.set({ [oneName]: two.get(twoName) } as never));
  forth();
  one.observe(oneName, forth);
  two.observe(twoName, back);
  return handle(() => {
    one.unobserve(oneName, forth);
    two.unobserve(twoName, back);
  });
}

/** A two-way link between properties in the page, which works without the kernel, also in a saved page. */
export class Link extends widgetClass(specs.linkSpec) {
  /** Ends the link; the values stay. */
  unlink(): void {
    this.close();
  }
}

/** A one-way link between properties in the page, which works without the kernel. */
export class DirectionalLink extends widgetClass(specs.directionalLinkSpec) {
  /** Ends the link; the values stay. */
  unlink(): void {
    this.close();
  }
}

/** Keeps two properties equal in the page, without the kernel. */
export function jslink(source: readonly [Widget, string], target: readonly [Widget, string]): Link {
  return new Link({ source, target });
}

/** Sets `target` to the value of `source` now and whenever it changes, in the page, without the kernel. */
export function jsdlink(
  source: readonly [Widget, string],
  target: readonly [Widget, string]
): DirectionalLink {
  return new DirectionalLink({ source, target });
}
