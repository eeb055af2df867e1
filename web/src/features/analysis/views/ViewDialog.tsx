import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { formErrorText } from '@/lib/http/errorText';
import { isVisibleName } from '@/lib/text/visibleName';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { createView, updateView, type View, viewsKey, viewsQuery } from './queries';
import css from './ViewDialog.module.css';

interface ViewDialogProps {
  /** The view that gets another name, or a new one; null: none. */
  named: View | 'new' | null;
  query: string;
  onClose: () => void;
  onClosed: () => void;
}

/** In characters, as people count them. */
const maxNameLength = 64;

type NameError = 'common.nameRequired' | 'device.form.tooLong';

function checkName({ name }: { name: string }): { name?: NameError } {
  if (!isVisibleName(name)) return { name: 'common.nameRequired' };
  return [...name.trim()].length > maxNameLength ? { name: 'device.form.tooLong' } : {};
}

/** Names a view: what is seen now, or one that was saved. Another view of the same name may be replaced. */
export function ViewDialog({ named, query, onClose, onClosed }: ViewDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const known = useQuery({ ...viewsQuery(), enabled: named !== null }).data ?? [];
  // The dialog keeps its texts while it closes.
  const [shown, setShown] = useState(named);
  const [name, setName] = useState('');
  // The view of the same name that the user is asked about.
  const [existing, setExisting] = useState<View | null>(null);
  const begin = (of: View | 'new') => {
    setShown(of);
    setName(of === 'new' ? '' : of.name);
    setExisting(null);
  };
  if (named && named !== shown) begin(named);
  const renamed = shown === 'new' || shown === null ? null : shown;

  const save = useMutation({
    mutationFn: async ({ wanted, replaced }: { wanted: string; replaced: View | null }) => {
      if (renamed) await updateView({ ...renamed, name: wanted });
      else if (replaced) await updateView({ id: replaced.id, name: wanted, query });
      else await createView({ name: wanted, query });
    },
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: (_, { wanted }) => {
      toast.success(t(renamed ? 'analysis.views.renamed' : 'analysis.views.stored', { name: wanted }));
      onClose();
    },
    // Also after a failure: the list that the user saw may be old.
    onSettled: () => void client.invalidateQueries({ queryKey: viewsKey }),
  });

  const form = useForm<{ name: string }, NameError>({
    values: { name },
    check: checkName,
    busy: save.isPending,
    onSubmit: () => {
      const wanted = name.trim();
      const other = known.find((view) => sameName(view.name, wanted));
      if (!renamed && other && other !== existing) setExisting(other);
      else save.mutate({ wanted, replaced: existing });
    },
  });
  const field = form.field('name');
  const refusal = formErrorText(save.error);
  const problem = field.error ? t(field.error, { most: maxNameLength }) : refusal;
  return (
    <Dialog
      open={named !== null}
      title={renamed ? t('analysis.views.renameTitle', { name: renamed.name }) : t('analysis.views.saveTitle')}
      width={440}
      onClose={onClose}
      onClosed={() => {
        setShown(null);
        setExisting(null);
        form.forget();
        save.reset();
        onClosed();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={save.isPending}>
            {t(existing ? 'analysis.views.replace' : renamed ? 'analysis.views.rename' : 'common.save')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate>
        <Field label={t('analysis.views.name')} required error={problem} hint={t('analysis.views.nameHint')}>
          {(labels) => (
            <Input
              {...labels}
              ref={field.ref as (input: InputRef | null) => void}
              autoFocus
              value={name}
              onChange={(event) => {
                setName(event.target.value);
                setExisting(null);
                save.reset();
              }}
              onBlur={field.onBlur}
              autoComplete="off"
            />
          )}
        </Field>
        <div aria-live="polite" className={css.ask}>
          {existing ? (
            <Note tone="warn" title={t('analysis.views.replaceAsk')}>
              {t('analysis.views.replaceText', { name: existing.name })}
            </Note>
          ) : null}
        </div>
      </form>
    </Dialog>
  );
}

/** Names are alike in any case, as for the server, which has the last word. */
const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
