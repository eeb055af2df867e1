import { describe, expect, it } from 'vitest';
import { deviceSearch, isFiltered } from './search';

const emptySearch = {
  q: undefined,
  scene: undefined,
  product: undefined,
  state: undefined,
  sort: undefined,
  descending: undefined,
  page: undefined,
  size: undefined,
  device: undefined,
  edit: undefined,
};

describe('the address of the device page', () => {
  it('holds what is to be seen', () => {
    expect(
      deviceSearch({
        q: ' mast ',
        scene: 0,
        product: 3,
        state: 'offline',
        sort: 'lastContact',
        descending: true,
        page: 4,
        size: 100,
        device: 'WS-1',
        edit: true,
      }),
    ).toEqual({
      q: 'mast',
      scene: 0,
      product: 3,
      state: 'offline',
      sort: 'lastContact',
      descending: true,
      page: 4,
      size: 100,
      device: 'WS-1',
      edit: true,
    });
  });

  it('takes nothing that it does not know', () => {
    expect(
      deviceSearch({
        q: '  ',
        scene: -1,
        product: 0,
        state: 'asleep',
        sort: 'password',
        page: 1.5,
        size: 17,
        device: { name: 'WS-1' },
        edit: true,
        other: 1,
      }),
    ).toEqual(emptySearch);
  });

  it('leaves out what is so anyway', () => {
    expect(deviceSearch({ page: 1, size: 10, descending: true, edit: true })).toEqual(emptySearch);
  });

  it('takes names of digits alone, which come as numbers', () => {
    expect(deviceSearch({ q: 300, device: 4711 })).toMatchObject({ q: '300', device: '4711' });
  });

  it('knows whether anything but the scene narrows the list', () => {
    expect(isFiltered(deviceSearch({ scene: 3, sort: 'noteName' }))).toBe(false);
    for (const part of [{ q: 'a' }, { product: 1 }, { state: 'online' }]) {
      expect(isFiltered(deviceSearch(part))).toBe(true);
    }
  });
});
