import type { Schemas } from '@/lib/alarm/types';
import type { TslProperty } from '@/lib/device/types';

/** A property that a rule's conditions may refer to. */
export interface Attribute extends TslProperty {
  /** How many of the rule's devices have it; the rule leaves the others out. */
  deviceCount?: number;
  /** A device that the rule names lacks it: the server refuses the rule. */
  refused?: boolean;
}

/** By identifier. */
export type Attributes = ReadonlyMap<string, Attribute>;

export function attributesOf(answer: Schemas['AlarmTargetAttributes']): Attributes {
  return new Map(
    answer.attributes.map(({ property, deviceCount, refused }) => [
      property.identifier,
      { ...property, deviceCount, refused },
    ]),
  );
}
