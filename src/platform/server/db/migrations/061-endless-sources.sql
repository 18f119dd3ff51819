-- Once an item's address of the web could have any length. A row of megabytes is refused by whatever reads a backup, so none
-- could be made: what is longer than two addresses with their words can be is forgotten.

UPDATE media SET source = NULL WHERE length(source) > 200000;
