import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { formErrorText } from '@/lib/http/errorText';
import { userQuery } from '@/lib/http/queries';
import { Dialog } from '@/ui/Dialog';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import css from './fields.module.css';
import { LanguageField } from './LanguageField';
import { nameOf } from './names';
import { invitationsKey, type Person, peopleKey, updatePerson } from './queries';
import { RoleField } from './RoleField';

interface PersonDialogProps {
  /** The person to change; null: the dialog is closed. */
  of: Person | null;
  /** The signed-in user, who is asked in other words. */
  self: number | undefined;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/** Changes the role of a person, and the language of their mails. */
export function PersonDialog({ of, self, onClose, onClosed }: PersonDialogProps) {
  const { t } = useTranslation();
  const formId = useId();
  const client = useQueryClient();
  // Keeps the person and its words while it closes.
  const [person, setPerson] = useState(of);
  const [values, setValues] = useState<Pick<Person, 'role' | 'language'>>({ role: 'viewer', language: '' });
  if (of !== null && of.id !== person?.id) {
    setPerson(of);
    setValues({ role: of.role, language: of.language });
  }

  const save = useMutation({
    mutationFn: updatePerson,
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: () => {
      if (person) toast.success(t('people.saved', { name: nameOf(person) }));
      onClose();
    },
    // Also after a failure: without an answer, the change may have been made.
    onSettled: (_data, _error, { id }) => {
      void client.invalidateQueries({ queryKey: peopleKey });
      // What they invited may be withdrawn now, or hold again.
      void client.invalidateQueries({ queryKey: invitationsKey });
      if (id === self) void client.invalidateQueries({ queryKey: userQuery().queryKey });
    },
  });
  if (person === null) return null;

  const role = values.role === person.role ? undefined : values.role;
  const language = values.language === person.language ? undefined : values.language;
  const demotesSelf = person.id === self && person.role === 'owner' && values.role !== 'owner';
  const refusal = formErrorText(save.error);
  const change = (part: Partial<typeof values>) => {
    setValues((before) => ({ ...before, ...part }));
    // What the server refused is no longer asked for.
    if (refusal) save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    if (role === undefined && language === undefined) onClose();
    else save.mutate({ id: person.id, role, language });
  };

  return (
    <Dialog
      open={of !== null}
      title={t('people.edit', { name: nameOf(person) })}
      onClose={onClose}
      onClosed={() => {
        setPerson(null);
        save.reset();
        onClosed();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={formId} loading={save.isPending} danger={demotesSelf}>
            {t(demotesSelf ? 'people.demote' : 'common.save')}
          </SendButton>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        {refusal ? (
          <div className={css.note}>
            <Note tone="wrong" title={t('common.saveFail')}>
              {refusal}
            </Note>
          </div>
        ) : null}
        <RoleField role={values.role} onChange={(wanted) => change({ role: wanted })} />
        {demotesSelf && !refusal ? (
          <div className={css.note}>
            <Note tone="warn" title={t('people.demoteTitle')}>
              {t('people.demoteText')}
            </Note>
          </div>
        ) : null}
        <LanguageField
          language={values.language}
          hint={t('people.languageHint')}
          onChange={(wanted) => change({ language: wanted })}
        />
      </form>
    </Dialog>
  );
}
