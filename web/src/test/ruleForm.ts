import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect } from 'vitest';
import { type AlarmServer, alarmServer, openAlarms } from './alarmServer';

type User = Awaited<ReturnType<typeof openAlarms>>['user'];

/** The server of each test of the rule form. */
export let server: AlarmServer;

/** Call it in the test file: each test gets its own server. */
export function newServerForEachTest(): void {
  beforeEach(() => {
    server = alarmServer();
  });
}

// Queries by labels and texts: searching by roles is slow in a form with two lists of a hundred
// times.
export const dialog = () => within(document.querySelector<HTMLElement>('.ant-modal') ?? document.body);
export const fieldBox = (name: string | RegExp) =>
  dialog().getByLabelText<HTMLSelectElement>(name, { selector: 'select, input' });
export const textField = (name: string | RegExp) =>
  dialog().getByLabelText<HTMLInputElement>(name, { selector: 'input, textarea' });
export const press = (user: User, name: string) => {
  const button = dialog().queryByLabelText(name, { selector: 'button' }) ?? dialog().getByText(name).closest('button');
  return user.click(button as HTMLElement);
};
export const pick = (user: User, name: string) =>
  user.click(dialog().getByLabelText(name, { selector: 'input[type=radio]' }));
export const ruleSentence = () =>
  dialog()
    .getByText(/^Alarm when/, { selector: 'p' })
    .textContent?.replaceAll('\u00a0', ' ');
export const slot = (clock: string) => dialog().getByLabelText(new RegExp(`^${clock}–`));
export const chosenSlots = () =>
  [...document.querySelectorAll('[data-slot][aria-selected=true]')].map((slot) =>
    Number(slot.getAttribute('data-slot')),
  );

/** The form is closed: the address is the list's, and no question is open. */
export async function expectFormClosed({ router }: Pick<Awaited<ReturnType<typeof openAlarms>>, 'router'>) {
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(screen.queryByText('Discard the changes?')).toBeNull();
}

export async function openRuleForm(address = '/alarm?rule=new') {
  const opened = await openAlarms(server, address);
  await screen.findByText('Save and run');
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return opened;
}

export async function pickDevice(user: User, name: RegExp) {
  await user.click(fieldBox(/^Device source/));
  await user.click(await screen.findByText(name, { selector: '.ant-select-item-option-content *' }));
}

/** Fills in a rule on the mast's temperature. */
export async function fillRule(user: User) {
  await user.type(textField(/^Alarm name/), 'Frost');
  await pickDevice(user, /Orchard mast/);
  await pick(user, 'Attribute change');
  await pick(user, 'Serious');
  await pick(user, 'Not supported');
  await waitFor(() => expect(fieldBox('Attribute of condition 1')).toBeEnabled());
  await user.selectOptions(fieldBox('Attribute of condition 1'), 'Air temperature');
  await user.selectOptions(fieldBox('Comparison of condition 1'), '<');
  await user.type(textField('Value of condition 1'), '2');
}
