-- An item that is out for the first time has no row in `standing` yet, so nobody need look for one when it comes back.

ALTER TABLE hold ADD COLUMN fresh boolean NOT NULL DEFAULT false;
