#pragma once

// The sentences that `dev new` writes for the author to replace, and `dev check` looks for.

namespace hypatia::runner {

constexpr const char* idea_placeholder = "*One sentence: the idea that the learner takes away.*";
constexpr const char* story_placeholder = "The story, in a paragraph or two.";
constexpr const char* head_placeholder = "replace this by one sentence about the exercise";
constexpr const char* starter_placeholder = "What is missing, as the learner sees it.";
constexpr const char* question_placeholder = "A question that a measurement answers.";

constexpr const char* placeholders[] = {
    idea_placeholder,
    story_placeholder,
    head_placeholder,
    starter_placeholder,
    question_placeholder,
};

}  // namespace hypatia::runner
