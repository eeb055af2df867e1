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
/** Longer than it waits for other code to set the focus. */
const wait = () => new Promise((resolve) => setTimeout(resolve, 120));

it('moves to the heading around a removed button, which Enter does not press', async () => {
  at('clear').focus();
  at('clear').remove();
  await wait();
  expect(heading()).toHaveFocus();
  heading()?.blur();
  expect(heading()).not.toHaveAttribute('tabindex');
});

it('moves to the row after the deleted one, or before it at the end', async () => {
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

it('moves to the next row when the following one was removed as well', async () => {
  at('two').insertAdjacentHTML('afterend', '<li id="three">Three</li>');
  at('delete-one').focus();
  at('one').remove();
  at('two').remove();
  await wait();
  expect(at('three')).toHaveFocus();
});

it('moves away from a button that is disabled', async () => {
  at('clear').focus();
  at('clear').setAttribute('disabled', '');
  // A browser takes the focus from it; jsdom does not.
  document.body.tabIndex = -1;
  document.body.focus();
  await wait();
  expect(heading()).toHaveFocus();
  document.body.removeAttribute('tabindex');
});

it('returns from a dialog whose opener was deleted, and from a closed message', async () => {
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

it('leaves the focus where other code has set it', async () => {
  at('delete-one').focus();
  at('one').remove();
  at('clear').focus();
  await wait();
  expect(at('clear')).toHaveFocus();
});

it('does nothing after the user clicked beside all controls', async () => {
  at('clear').focus();
  at('clear').blur();
  await wait();
  at('clear').remove();
  await wait();
  expect(document.body).toHaveFocus();
});
