/** The selection: one exchange, recorded or from a lesson, and the step in it. */

import type { Protocol } from '../../../../src/interchange/observer.ts';
import type { ExchangeDescription, Fact } from '../../../../src/recording/exchanges/facts.ts';
import type { HandshakePicture, LessonChoice } from '../../../../src/pictures/handshake/schema.ts';
import type { Step } from '../../../../src/pictures/handshake/steps.ts';

export interface ShownStep extends Step {
  readonly fact: Fact;
  /** Time of the step; empty in a lesson. */
  readonly time: string;
}

export interface Choice {
  readonly mode: HandshakePicture['mode'];
  readonly lesson: LessonChoice;
  /** Number of an exchange, as text; `older` requests more of them. */
  readonly exchange: string;
}

export interface Shown {
  readonly picture: HandshakePicture;
  readonly choice: Choice;
  readonly exchange: ExchangeDescription | undefined;
  readonly protocol: Protocol;
  readonly hazard: boolean;
  readonly steps: readonly ShownStep[];
  /** The current step; null: all steps. */
  readonly step: number | null;
}
