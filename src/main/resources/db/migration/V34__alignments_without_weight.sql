-- For ContributionFiller, which searches all organisations. It reads the alignments once. Changes of alignments wait.
CREATE INDEX alignment_without_weight ON alignment (organization_id, id)
    WHERE weight IS NULL AND alignment_type = 'contributes_to';
