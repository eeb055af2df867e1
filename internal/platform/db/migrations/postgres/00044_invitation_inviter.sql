-- +goose Up

-- The user who made an invitation or last sent it again: it holds while that user is an owner who can sign in.
-- Of invitations from before, the activity log knows them; of one that it does not know (0), nobody vouches.
ALTER TABLE invitations ADD COLUMN inviter_id BIGINT NOT NULL DEFAULT 0;
UPDATE invitations SET inviter_id = COALESCE((
    SELECT e.actor_id FROM audit_entries AS e
    WHERE e.tenant_id = invitations.tenant_id AND e.kind = 'invitation' AND e.thing_id = invitations.id
        AND e.actor = 'user' AND e.action IN ('create', 'update')
    ORDER BY e.time DESC, e.id DESC LIMIT 1
), 0);
