import { describe, expect, it } from 'vitest';
import { fromGcj02, toGcj02 } from './gcj02';

/** Metres between two nearby places. */
function metres(a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number {
  const degree = 111_195;
  const east = (a.longitude - b.longitude) * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(a.latitude - b.latitude, east) * degree;
}

describe('toGcj02', () => {
  // Common reference pairs for converters of this datum.
  it.each([
    ['Shanghai', [31.1774276, 121.5272106], [31.17530398364597, 121.531541859215]],
    ['Shenzhen', [22.543847, 113.912316], [22.540796131694766, 113.9171764808363]],
    ['Beijing', [39.911954, 116.377817], [39.91334545536069, 116.38404722455657]],
  ])(
    'shifts %s to its position on the map',
    (_, [latitude = 0, longitude = 0], [expectedLatitude = 0, expectedLongitude = 0]) => {
      const drawn = toGcj02({ latitude, longitude });
      expect(metres(drawn, { latitude: expectedLatitude, longitude: expectedLongitude })).toBeLessThan(0.5);
    },
  );

  it.each([
    ['Aydın', { latitude: 37.8571, longitude: 27.3412 }],
    ['Tomsk', { latitude: 56.49, longitude: 84.95 }],
    ['Sydney', { latitude: -33.87, longitude: 151.21 }],
  ])('leaves %s where it is', (_, place) => {
    expect(toGcj02(place)).toEqual(place);
  });

  it('shifts every place of the country by less than a kilometre', () => {
    for (let latitude = 20; latitude <= 50; latitude += 1.7) {
      for (let longitude = 80; longitude <= 130; longitude += 2.3) {
        const place = { latitude, longitude };
        const distance = metres(place, toGcj02(place));
        expect(distance).toBeGreaterThan(0);
        expect(distance).toBeLessThan(900);
      }
    }
  });
});

describe('a position picked on such a map', () => {
  it('is the inverse of drawing, to less than a centimetre', () => {
    for (let latitude = 20; latitude <= 50; latitude += 2.3) {
      for (let longitude = 80; longitude <= 130; longitude += 3.1) {
        const place = { latitude, longitude };
        expect(metres(place, fromGcj02(toGcj02(place)))).toBeLessThan(0.01);
      }
    }
  });

  it('is unchanged where maps are not shifted', () => {
    const aydin = { latitude: 37.8571, longitude: 27.3412 };
    expect(fromGcj02(aydin)).toEqual(aydin);
  });
});
