import { createContext } from 'react';

/** What the devices in sight are called: where their names are cut, what tells them apart stays. */
export const SiblingNames = createContext<readonly string[]>([]);
