import { createContext } from 'react';
import type { OpenedCard } from './groupLayouts';

export type Expanded = OpenedCard;

/** The cards that show all their readings, by device name. */
export const ExpandedCards = createContext<{
  cards: ReadonlyMap<string, Expanded>;
  set: (deviceName: string, card: Expanded | undefined) => void;
}>({ cards: new Map(), set: () => undefined });
