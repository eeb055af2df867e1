import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { landOf } from './land';

const topology = JSON.parse(readFileSync('node_modules/world-atlas/land-50m.json', 'utf8'));
const land = await landOf(topology);

describe('the coastline', () => {
  it('consists of pieces, so that only those near the view are drawn', () => {
    expect(land.length).toBeGreaterThan(1000);
    const around = land.filter(({ bounds }) => bounds.contains([37.8571, 27.3412]));
    expect(around.length).toBeGreaterThanOrEqual(1);
    expect(around.length).toBeLessThan(5);
  });

  it('has its corners as longitude and latitude', () => {
    for (const { rings } of land) {
      for (const [longitude = 0, latitude = 0] of rings[0] ?? []) {
        expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
        expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
      }
    }
    // Iceland lies north of 63 degrees and west of 13.
    const iceland = land.find(({ bounds }) => bounds.contains([64.9, -18.5]) && bounds.getNorth() < 67);
    expect(iceland?.bounds.getSouth()).toBeGreaterThan(63);
    expect(iceland?.bounds.getEast()).toBeLessThan(-13);
  });

  it('refuses a file without land', async () => {
    await expect(landOf({ ...topology, objects: {} })).rejects.toThrow('no land');
  });
});
