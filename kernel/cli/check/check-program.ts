/** A separate program of `check` that prints what it finds in one notebook: each needs its own names, hooks of imports and folder. */

import { dirname, resolve } from 'node:path';
import { CommandFailure } from '../kit/failure.ts';
import { readDocument } from '../run/notebook-file.ts';
import type { Answer } from './findings.ts';
import { checkNotebook } from './notebook-check.ts';

function answer(file: string): Answer {
  try {
    const document = readDocument(file);
    // Imports are resolved from the notebook's folder.
    process.chdir(dirname(file));
    return checkNotebook(document);
  } catch (error) {
    if (error instanceof CommandFailure) return { failure: error.message };
    throw error;
  }
}

process.stdout.write(JSON.stringify(answer(resolve(process.argv[2]!))));
