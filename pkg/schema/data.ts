import { readFileSync } from 'node:fs';

/**
 * Returns the text of a file of `data/`. This file must be beside that folder, also in the bundle, where all code is
 * beside it.
 */
export const readData = (file: string): string => readFileSync(new URL(`./data/${file}`, import.meta.url), 'utf8');
