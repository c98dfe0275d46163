/** Controls made from plain values, and a function that runs with their values. */

import { display } from '../../../src/notebook/display.ts';
import { isWidget, type Widget } from '../model/widget.ts';
import { controlFor, Fixed, type Abbreviation, type ArgumentOf, type ValueWidget } from './abbreviations.ts';
import { VBox } from './boxes.ts';
import { Output } from './output.ts';
import { Button } from './toggles.ts';

/** The function arguments that abbreviations produce. */
export type Arguments<Given> = { readonly [Name in keyof Given]: ArgumentOf<Given[Name]> };

/** Options of `interact` and `interactive`. */
export interface InteractOptions {
  /** Whether the function runs only when a button is pressed. Default false. */
  readonly manual?: boolean;
  /** The label of that button. */
  readonly manual_name?: string;
  /** Whether the function's result is shown. Default true. */
  readonly auto_display?: boolean;
}

/** A column of controls, with the output of their function below. */
export class Interactive<Given extends Readonly<Record<string, Abbreviation>>, Result> extends VBox {
  readonly #work: (given: Arguments<Given>) => Result | Promise<Result>;
  readonly #fixed: Readonly<Record<string, unknown>>;
  readonly #show: boolean;
  readonly #button: Button | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  /** The control of each argument. */
  readonly controls: Readonly<Record<string, ValueWidget<unknown>>>;
  /** The output widget, with the output of the last run. */
  readonly out: Output;
  /** The result of the last run. */
  result: Result | undefined;

  constructor(
    work: (given: Arguments<Given>) => Result | Promise<Result>,
    given: Given,
    { manual = false, manual_name = 'Run Interact', auto_display = true }: InteractOptions = {}
  ) {
    const controls: Record<string, ValueWidget<unknown>> = {};
    const fixed: Record<string, unknown> = {};
    const made: Widget[] = [];
    for (const [name, value] of Object.entries(given)) {
      if (value instanceof Fixed) fixed[name] = value.value;
      else {
        const control = controlFor(name, value);
        controls[name] = control;
        if (!isWidget(value)) made.push(control);
        describe(control, name);
      }
    }
    const out = new Output();
    const button = manual ? new Button({ description: manual_name }) : undefined;
    const buttons = button === undefined ? [] : [button];
    super([...Object.values(controls), ...buttons, out], { _dom_classes: ['widget-interact'] });
    this.#work = work;
    this.#fixed = fixed;
    this.#show = auto_display;
    this.#button = button;
    this.controls = controls;
    this.out = out;
    for (const widget of [...made, out, ...buttons]) this.on('close', () => widget.close());
    const update = (): Promise<void> => this.update();
    if (button !== undefined) button.on('click', update);
    else for (const control of Object.values(controls)) control.observe('value', update);
    // Widgets passed in stay open, and no longer run the function of a closed widget.
    this.on('close', () => {
      for (const control of Object.values(controls)) control.unobserve('value', update);
    });
    if (!manual) void this.update();
  }

  /** The current values of the controls. */
  get arguments(): Arguments<Given> {
    const values = Object.entries(this.controls).map(([name, control]) => [name, control.value]);
    return { ...this.#fixed, ...Object.fromEntries(values) } as Arguments<Given>;
  }

  /**
   * Runs the function with the current values. Calls during an asynchronous run are merged into one further run, with the values of that
   * time.
   */
  async update(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#runAll();
    await this.#running;
  }

  async #runAll(): Promise<void> {
    if (this.#button !== undefined) this.#button.disabled = true;
    while (this.#again && !this.closed) {
      this.#again = false;
      await this.#run();
    }
    this.#running = undefined;
    if (this.#button !== undefined) this.#button.disabled = false;
  }

  async #run(): Promise<void> {
    this.out.clear_output({ wait: true });
    const run = async (): Promise<void> => {
      const result = await this.#work(this.arguments);
      this.result = result;
      if (this.#show && result !== undefined) await display(result);
    };
    // The error is shown in the output.
    await this.out.capture(run).catch(() => undefined);
    this.out.settle();
  }
}

function describe(control: ValueWidget<unknown>, name: string): void {
  if ('description' in control && control.description === '') control.description = name;
}

/**
 * Makes controls for the arguments of a function, without showing them. The function runs now, and again when a control changes:
 * `interactive(({ x, on }) => x * 2, { x: [0, 10], on: true })`. Display the result, or use `interact`.
 */
export function interactive<const Given extends Readonly<Record<string, Abbreviation>>, Result>(
  work: (given: Arguments<Given>) => Result | Promise<Result>,
  given: Given,
  options: InteractOptions = {}
): Interactive<Given, Result> {
  return new Interactive(work, given, options);
}

/**
 * Shows controls for the arguments of a function in the running cell. The function runs now, and again when a control changes; its result
 * and output are shown below: `interact(({ x }) => x * 2, { x: [0, 10] })`.
 */
export function interact<const Given extends Readonly<Record<string, Abbreviation>>, Result>(
  work: (given: Arguments<Given>) => Result | Promise<Result>,
  given: Given,
  options: InteractOptions = {}
): Interactive<Given, Result> {
  const made = new Interactive(work, given, options);
  void display(made);
  return made;
}
