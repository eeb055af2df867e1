import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { formErrorText } from '@/lib/http/errorText';
import { type Confirmation, ConfirmDialog } from '@/ui/ConfirmDialog';
import { nameOf } from './names';
import {
  deletePerson,
  enablePerson,
  endSessions,
  invitationsKey,
  type Person,
  peopleKey,
  resetFactor,
} from './queries';

/** The action on a person that is performed once it is confirmed. */
export interface PersonAction {
  what: 'disable' | 'enable' | 'end' | 'reset' | 'delete';
  person: Person;
}

interface PersonConfirmDialogProps {
  action: PersonAction | null;
  /** The signed-in user, who is asked in other words. */
  self: number | undefined;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

const done = { disable: 'disabled', enable: 'enabled', end: 'ended', reset: 'reset', delete: 'deleted' } as const;

function perform({ what, person: { id } }: PersonAction): Promise<unknown> {
  switch (what) {
    case 'disable':
    case 'enable':
      return enablePerson(id, what === 'enable');
    case 'end':
      return endSessions(id);
    case 'reset':
      return resetFactor(id);
    case 'delete':
      return deletePerson(id);
  }
}

/**
 * Asks before a person is disabled, enabled, signed out everywhere or deleted, or loses the second factor, and says what
 * ends.
 */
export function PersonConfirmDialog({ action, self, onClose, onClosed }: PersonConfirmDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: perform,
    meta: { shows: [601], failure: action?.what === 'delete' ? 'common.deleteFail' : 'common.saveFail' },
    onSuccess: async (_, { what, person }) => {
      toast.success(t(`people.${done[what]}`, { name: nameOf(person) }));
      // What they invited may be withdrawn now, or hold again.
      void client.invalidateQueries({ queryKey: invitationsKey });
      await client.invalidateQueries({ queryKey: peopleKey });
      onClose();
    },
  });
  const wordsOf = ({ what, person }: PersonAction): Confirmation => {
    const name = nameOf(person);
    const isSelf = person.id === self;
    switch (what) {
      case 'disable':
        return {
          question: isSelf ? t('people.disableSelfAsk') : t('people.disableAsk', { name }),
          consequence: t(isSelf ? 'people.disableSelfText' : 'people.disableText'),
          verb: t('people.disable'),
          danger: true,
        };
      case 'enable':
        return {
          question: t('people.enableAsk', { name }),
          consequence: t('people.enableText'),
          verb: t('people.enable'),
          danger: false,
        };
      case 'end':
        return {
          question: isSelf ? t('people.endSelfAsk') : t('people.endAsk', { name }),
          consequence: t(isSelf ? 'people.endSelfText' : 'people.endText'),
          verb: t('people.endSessions'),
          danger: isSelf,
        };
      case 'reset':
        return {
          question: t('people.resetAsk', { name }),
          consequence: t('people.resetText'),
          verb: t('people.resetFactor'),
          danger: true,
        };
      case 'delete':
        return {
          question: isSelf ? t('people.deleteSelfAsk') : t('common.deleteConfirm', { name }),
          consequence: t(isSelf ? 'people.deleteSelfText' : 'people.deleteText'),
          verb: t('people.deletePerson'),
          danger: true,
        };
    }
  };
  return (
    <ConfirmDialog
      target={action}
      textFor={wordsOf}
      mutation={act}
      refusal={formErrorText(act.error)}
      onClose={onClose}
      onClosed={() => {
        act.reset();
        onClosed();
      }}
    />
  );
}
