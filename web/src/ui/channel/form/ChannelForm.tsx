import { useTranslation } from 'react-i18next';
import { DraftBar } from '@/ui/DraftBar';
import { Note } from '@/ui/Note';
import { ChannelFields } from './ChannelFields';
import css from './ChannelForm.module.css';
import type { ChannelFormState } from './useChannelForm';

interface ChannelFormProps {
  /** The form's id, for a submit button outside of it. */
  id: string;
  form: ChannelFormState;
}

/**
 * A channel's fields, with the offer of an earlier unsaved draft and the server's refusal above them.
 * `useChannelForm` moves the focus to the refusal.
 */
export function ChannelForm({ id, form }: ChannelFormProps) {
  const { t } = useTranslation();
  const { draft, refusal } = form;
  return (
    <form
      id={id}
      ref={form.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      {draft.offered ? <DraftBar onRestore={form.restore} onDiscard={draft.discard} /> : null}
      {refusal?.field === 'form' ? (
        <div className={css.refusal} tabIndex={-1} data-refused>
          <Note tone="wrong" title={t('common.saveFail')}>
            {refusal.text}
          </Note>
        </div>
      ) : null}
      <ChannelFields form={form} />
    </form>
  );
}
