import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Dialog } from '@/ui/Dialog';
import { ErrorNote } from '@/ui/ErrorNote';
import { Note } from '@/ui/Note';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { KeyRow } from './KeyRow';
import css from './KeysDialog.module.css';
import { nameOf } from './names';
import { deletePersonKey, type Person, type PersonKey, peopleKey, personKeysQuery } from './queries';

interface KeysDialogProps {
  /** Whose keys; null: the dialog is closed. */
  of: Person | null;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/** The API keys of a person, with what they may do now, for owners to delete. */
export function KeysDialog({ of, onClose, onClosed }: KeysDialogProps) {
  const { t } = useTranslation();
  // Keeps the person while it closes.
  const [person, setPerson] = useState(of);
  if (of !== null && of !== person) setPerson(of);
  if (person === null) return null;
  return (
    <Dialog
      open={of !== null}
      title={t('people.keys.title', { name: nameOf(person) })}
      onClose={onClose}
      onClosed={() => {
        setPerson(null);
        onClosed();
      }}
      width={640}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <Keys person={person} />
    </Dialog>
  );
}

function Keys({ person }: { person: Person }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [asked, setAsked] = useState<PersonKey | null>(null);
  const { data, ...query } = useQuery(personKeysQuery(person.id));
  const remove = useMutation({
    mutationFn: (key: PersonKey) => deletePersonKey(person.id, key.id),
    meta: { shows: [601], failure: 'common.deleteFail' },
    onSuccess: (_, { name }) => {
      toast.success(t('people.keys.deleted', { name }));
      setAsked(null);
    },
    // Also after a failure: the person may have deleted it meanwhile.
    onSettled: () => client.invalidateQueries({ queryKey: peopleKey }),
  });
  return (
    <>
      <p className={css.what}>{t('people.keys.what')}</p>
      {person.state === 'active' ? null : (
        <div className={css.note}>
          <Note tone="info">{t('people.keys.idle')}</Note>
        </div>
      )}
      {query.isPending ? (
        <Loading>
          <Skeleton height={64} />
        </Loading>
      ) : null}
      {query.isError ? (
        <ErrorNote
          title={t('app.loadFail')}
          text={errorText(query.error)}
          onRetry={() => query.refetch()}
          busy={query.isFetching}
        />
      ) : null}
      {data?.total === 0 ? <p className={css.none}>{t('people.keys.none')}</p> : null}
      {data && data.total > 0 ? (
        <ul className={css.list}>
          {data.list.map((key) => (
            <KeyRow key={key.id} of={key} onDelete={() => setAsked(key)} />
          ))}
        </ul>
      ) : null}
      <ConfirmDialog
        target={asked}
        textFor={({ name }) => ({
          question: t('common.deleteConfirm', { name }),
          consequence: t('app.deleteText'),
          verb: t('app.deleteKey'),
          danger: true,
        })}
        mutation={remove}
        refusal={formErrorText(remove.error)}
        onClose={() => setAsked(null)}
        onClosed={() => remove.reset()}
      />
    </>
  );
}
