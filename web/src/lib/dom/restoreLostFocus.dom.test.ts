import { afterEach, beforeEach, expect, it } from 'vitest';
import { restoreLostFocus } from './restoreLostFocus';

let stop: () => void;
beforeEach(() => {
  document.body.innerHTML = `
    <main>
      <section><h2>Channels</h2>
        <button id="clear">Clear</button>
        <ul>
          <li id="one"><button id="delete-one">Delete</button></li>
          <li id="two"><button id="delete-two">Delete</button></li>
        </ul>
      </section>
    </main>
    <div role="status"></div>`;
  stop = restoreLostFocus();
});
afterEach(() => {
  stop();
  document.body.innerHTML = '';
});

const at = (id: string) => document.getElementById(id) as HTMLElement;
const heading = () => document.querySelector('h2');
/** Longer than it waits for others to put the keyboard back. */
const wait = () => new Promise((resolve) => setTimeout(resolve, 120));

it('goes on to the heading of what a button stood in, by which nothing is pressed', async () => {
  at('clear').focus();
  at('clear').remove();
  await wait();
  expect(heading()).toHaveFocus();
  heading()?.blur();
  expect(heading()).not.toHaveAttribute('tabindex');
});

it('goes on to the row after the deleted one, after the last to the one before', async () => {
  at('delete-one').focus();
  at('one').remove();
  await wait();
  expect(at('two')).toHaveFocus();
  at('delete-two').focus();
  at('two').insertAdjacentHTML('beforebegin', '<li id="three">Three</li>');
  at('two').remove();
  await wait();
  expect(at('three')).toHaveFocus();
});

it('goes on to the next row when the one after was taken away as well', async () => {
  at('two').insertAdjacentHTML('afterend', '<li id="three">Three</li>');
  at('delete-one').focus();
  at('one').remove();
  at('two').remove();
  await wait();
  expect(at('three')).toHaveFocus();
});

it('does so for a button that is disabled', async () => {
  at('clear').focus();
  at('clear').setAttribute('disabled', '');
  // A browser takes the keyboard from it; the test's page does not.
  document.body.tabIndex = -1;
  document.body.focus();
  await wait();
  expect(heading()).toHaveFocus();
  document.body.removeAttribute('tabindex');
});

it('comes back from a dialog whose opener was deleted, and from a message that was closed', async () => {
  at('delete-one').focus();
  document.body.insertAdjacentHTML('beforeend', '<div role="dialog"><button id="yes">Delete</button></div>');
  at('yes').focus();
  at('one').remove();
  at('yes').parentElement?.remove();
  await wait();
  expect(at('two')).toHaveFocus();

  at('clear').focus();
  const status = document.querySelector('[role="status"]') as HTMLElement;
  status.innerHTML = '<button id="close">Close</button>';
  at('close').focus();
  status.innerHTML = '';
  await wait();
  expect(at('clear')).toHaveFocus();
});

it('leaves the keyboard where somebody else has put it', async () => {
  at('delete-one').focus();
  at('one').remove();
  at('clear').focus();
  await wait();
  expect(at('clear')).toHaveFocus();
});

it('leaves a page alone that the person has left with a click beside everything', async () => {
  at('clear').focus();
  at('clear').blur();
  await wait();
  at('clear').remove();
  await wait();
  expect(document.body).toHaveFocus();
});
