import { screen, waitFor } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { askedOf, openAlarms, paths, sentTo } from '@/test/alarmServer';
import { toasts } from '@/test/profileServer';
import {
  dialog,
  fieldBox,
  fillRule,
  newServerForEachTest,
  openRuleForm,
  press,
  server,
  textField,
} from '@/test/ruleForm';
import { refused } from '@/test/server';

newServerForEachTest();

describe('a refusal by the server', () => {
  it.each([
    ['The data source type cannot be empty', /^Data source/],
    ['The device source cannot be empty', /^Device source/],
    ['The alarm name cannot be empty', /^Alarm name/],
  ])('shows “%s” at its field', async (sentence, field) => {
    server.answers.set(paths.create, () => refused(601, sentence));
    const { user } = await openRuleForm();
    await fillRule(user);
    await press(user, 'Save');
    await waitFor(() => expect(toasts()).toEqual([{ tone: 'warning', title: 'Fail', text: sentence }]));
    const wrong = field.source.includes('Alarm') ? textField(field) : fieldBox(field);
    expect(wrong).toHaveAccessibleDescription(sentence);
    expect(textField(/^Alarm name/)).toHaveValue('Frost');
  });

  it('is shown at the choice of manual release, at the conditions’ frame, or above the form', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    const refuse = async (sentence: string) => {
      server.answers.set(paths.create, () => refused(601, sentence));
      await user.type(textField('Description'), 'x');
      await press(user, 'Save');
      await waitFor(() => expect(toasts().at(-1)?.text).toBe(sentence));
    };
    await refuse('Manually clear the alarm. The value cannot be empty');
    const release = dialog().getByRole('radiogroup', { name: /^Manual release/ });
    expect(release).toHaveAccessibleDescription('Manually clear the alarm. The value cannot be empty');
    await refuse('Condition 1: too many decimals, the attribute has 0');
    expect(dialog().getByRole('group', { name: /^Alarm when/ })).toHaveAccessibleDescription(/^Condition 1: too many/);
    await refuse('At most 2000 alarm rules are possible. Delete one first');
    expect(dialog().getByText('Fail').closest('[role="alert"]')).toHaveTextContent(/At most 2000/);
  });
});

describe('a new rule whose answer was lost', () => {
  it('is looked up in the list before it is created again', async () => {
    server.answers.set(paths.create, () => HttpResponse.error());
    const { user } = await openRuleForm();
    await fillRule(user);
    const asked = askedOf(server, paths.page).length;
    await press(user, 'Save');
    expect(await dialog().findByText(/It may have been saved all the same/)).toBeInTheDocument();
    await waitFor(() => expect(askedOf(server, paths.page).length).toBeGreaterThan(asked));
    expect(textField(/^Alarm name/)).toHaveValue('Frost');
  });
});

describe('a rule that somebody deleted while it was being edited', () => {
  it('is created anew by saving again', async () => {
    server.answers.set(paths.update, () => refused(404, 'This resource does not exist'));
    const { user } = await openAlarms(server, `/alarm?rule=${server.rules[0]?.id}`);
    await user.type(await screen.findByRole('textbox', { name: /^Alarm name/ }), ' 2');
    await press(user, 'Save');
    expect(
      await dialog().findByText('This rule was deleted meanwhile. Save again to create it once more.'),
    ).toBeInTheDocument();
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
  });
});

describe('unsaved input', () => {
  it('causes a question before the form closes', async () => {
    const { user, router } = await openRuleForm('/alarm?rule=1');
    await user.type(textField(/^Alarm name/), '!{Escape}');
    await user.click(await screen.findByText('Keep editing'));
    expect(router.state.location.search).toEqual({ rule: 1 });
    expect(textField(/^Alarm name/)).toHaveValue('Spring frost!');
    await press(user, 'Cancel');
    await user.click(await screen.findByText('Discard changes'));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it('causes no question if nothing was changed', async () => {
    const { user, router } = await openRuleForm('/alarm?rule=1');
    await press(user, 'Cancel');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(screen.queryByText('Discard the changes?')).toBeNull();
  });

  it('is offered when the form opens again', async () => {
    sessionStorage.setItem('tilth.draft.7.alarm-rule-new', JSON.stringify({ alarmName: 'Half a rule', hitCounts: 4 }));
    const { user } = await openRuleForm();
    await press(user, 'Restore');
    expect(textField(/^Alarm name/)).toHaveValue('Half a rule');
    expect(fieldBox('Number of readings')).toHaveValue('4');
  });
});
