import { expect, it } from 'vitest';
import { spreadLabels } from './endLabels';

const box = { top: 10, height: 100 };

it('leaves labels with room where their lines end', () => {
  expect(spreadLabels([90, 20, 50], box, 15)).toEqual([90, 20, 50]);
});

it('moves labels that touch apart, evenly around what they want, in the order of the lines', () => {
  expect(spreadLabels([50, 48, 100], box, 15)).toEqual([56.5, 41.5, 100]);
  expect(spreadLabels([50, 50, 50], box, 15)).toEqual([35, 50, 65]);
});

it('keeps all of them inside the plot', () => {
  expect(spreadLabels([8, 9], box, 15)).toEqual([10, 25]);
  expect(spreadLabels([110, 200], box, 15)).toEqual([95, 110]);
});

it('shares the plot evenly if there is not room for all', () => {
  const spread = spreadLabels([60, 60, 60, 60, 60], { top: 0, height: 40 }, 15);
  expect(spread).toEqual([0, 10, 20, 30, 40]);
});

it('needs no label', () => {
  expect(spreadLabels([], box)).toEqual([]);
});
