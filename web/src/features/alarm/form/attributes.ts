import type { Schemas } from '@/lib/alarm/types';
import type { TslProperty } from '@/lib/device/types';

/** A property that a rule's conditions can be on. */
export interface Attribute extends TslProperty {
  /** How many of the rule's devices have it; the others are left out. */
  deviceCount?: number;
  /** A device that is named by itself lacks it: the server refuses the rule. */
  refused?: boolean;
}

/** By their identifiers. */
export type Attributes = ReadonlyMap<string, Attribute>;

export function attributesOf(answer: Schemas['AlarmTargetAttributes']): Attributes {
  return new Map(
    answer.attributes.map(({ property, deviceCount, refused }) => [
      property.identifier,
      { ...property, deviceCount, refused },
    ]),
  );
}
