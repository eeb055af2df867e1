import { type Changes, replaces } from '@/lib/device/live/changes';
import type { Attention, AttentionItem } from './queries';

function applyToItem(item: AttentionItem, changes: Changes): AttentionItem {
  const { identifier, reading } = item;
  if (identifier === undefined || reading === undefined) return item;
  const newest = changes.latest.get(item.deviceName)?.get(identifier);
  if (!newest || !replaces(newest, reading)) return item;
  if (newest.time === reading.time && newest.value === reading.value) return item;
  const { arrival: _, ...rest } = reading;
  return { ...item, reading: { ...rest, ...newest } };
}

/** Applies new readings to the items' values; returns the same object when none concerns them. */
export function applyToAttention(attention: Attention, changes: Changes): Attention {
  let changed = false;
  const items = attention.items.map((item) => {
    const next = applyToItem(item, changes);
    changed ||= next !== item;
    return next;
  });
  return changed ? { ...attention, items } : attention;
}
