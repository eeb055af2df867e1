import { createContext } from 'react';

/**
 * The names of the visible devices. Where a name is cut, the part that distinguishes it from these
 * stays.
 */
export const SiblingNames = createContext<readonly string[]>([]);
